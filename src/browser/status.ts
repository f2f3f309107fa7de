/** What the status page does where there is JavaScript. */
document.documentElement.dataset["script"] = "on";
export {};
