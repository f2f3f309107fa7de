import { feedWith } from "../support/feed-with.ts";
import { readFileSync } from "node:fs";
import process from "node:process";
import { listNodes } from "../../src/config/nodes.ts";
import { validateConfig } from "../../src/config/validate.ts";
import { renderNetwork } from "../../src/contract/network.ts";
import { writeSite } from "../../src/site/write.ts";

// The contract's documents alone, of a mirrors.json whose nodes are all online: what site generators are held beside.
const [, , file = "", out = ""] = process.argv;
const config = validateConfig(readFileSync(file, "utf8"), file);
writeSite(out, renderNetwork(feedWith(config, new Map(listNodes(config).map(({ id }) => [id, 1])))));
