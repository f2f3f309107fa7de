import type { CommandContext } from "../../src/core/base/terminal/context.ts";
import * as document from "../../src/core/state/document.ts";
import * as room from "../../src/core/state/room.ts";
import * as stored from "../../src/core/state/stored-state.ts";
import { type FeedState, stateDocument } from "../../src/app/state-document.ts";

// The functions that read and write states, with the document of the program.

export function parseState(text: string, source: string, earlier?: string): FeedState {
  return document.parseState(text, source, stateDocument, earlier);
}

export function formatState(state: FeedState): string {
  return document.formatState(state, stateDocument).toString();
}

export function fitState(state: FeedState, maxBytes: number): { state: FeedState; text: string } {
  const { bytes, ...fitted } = room.fitState(state, maxBytes, stateDocument);
  return { ...fitted, text: bytes.toString() };
}

export function openState(
  options: stored.StateOptions,
  context: CommandContext,
): stored.StoredState<FeedState> {
  return stored.openState(options, stateDocument, context);
}
