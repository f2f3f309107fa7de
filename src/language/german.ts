import type { Words } from "./english.ts";

/** Every word of the pages in German. */
export const german: Words = {
  legend: {
    heading: "So lesen Sie diese Seite",
    online: "bei der letzten Beobachtung erreichbar",
    offline: "nicht erreichbar",
    some: "ein Ziel, von dem einige Spiegel erreichbar sind",
    unknown: "noch kein Urteil",
    goodDay: "ein Tag ohne Ausfall",
    someDay: "einige Läufe schlugen fehl",
    badDay: "mindestens die Hälfte der Läufe schlug fehl",
    unobservedDay: "nicht beobachtet, zählt daher nicht",
    dayBefore: "bevor der Spiegel zum Feed gehörte",
    explanation:
      "Die Verfügbarkeit ist der Anteil erfolgreicher Beobachtungen in den 90 Tagen vor der letzten Mitternacht (UTC). Zeit ohne Beobachtungen zählt nicht. Ein Spiegel liegt zurück, wenn er hat, was die Referenz seines Ziels früher hatte. Er weicht ab, wenn ihm einen Tag oder länger fehlt, was die Referenz hat.",
  },
  count: {
    mirrors: (count) => `${count.toLocaleString("de")} Spiegel`,
    targets: (count) => `${count.toLocaleString("de")} ${count === 1 ? "Ziel" : "Ziele"}`,
  },
};
