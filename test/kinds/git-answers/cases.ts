import { framingCases } from "./framing-cases.ts";
import { encodingCases } from "./encoding-cases.ts";
import { packetCases } from "./packet-cases.ts";
import { redirectCases } from "./redirect-cases.ts";
import { refCases } from "./ref-cases.ts";
import { statusCases } from "./status-cases.ts";
import { typeCases } from "./type-cases.ts";
import type { Case } from "../../support/raw-answer.ts";

/** Raw answers to the first request of Git, grouped by what is unusual about them. */
export const cases: readonly Case[] = [
  ...typeCases,
  ...packetCases,
  ...refCases,
  ...statusCases,
  ...framingCases,
  ...encodingCases,
  ...redirectCases,
];
