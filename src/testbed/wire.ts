import type { Greeter, Handler } from "./server.ts";

/** Sends the banner of an SSH server, which is not HTTP. */
export function sshBanner(): Greeter {
  return { atConnection: (connection) => connection.resume().write("SSH-2.0-OpenSSH_9.6\r\n") };
}

/** Resets this many times, then answers. Each call counts for itself. */
export function flaky(failures: number, answer: Handler): Handler {
  let left = failures;
  return (exchange) => {
    if (left === 0) return answer(exchange);
    left -= 1;
    exchange.reset();
  };
}
