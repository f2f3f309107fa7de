import { config } from "zod";

// By default, zod compiles a function for each object. For the few documents that a command reads, this takes longer than
// it saves.
config({ jitless: true });

export * from "zod";
