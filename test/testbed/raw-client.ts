import { connect } from "node:net";
import { errorCode } from "../../src/base/errors.ts";

export interface RawAnswer {
  /** What came, one character a byte. */
  readonly text: string;
  /** How the connection stood at last: ended by FIN, by RST, or still open when this client left. */
  readonly ending: "end" | "reset" | "open";
}

export interface RawOptions {
  readonly path?: string;
  readonly patienceMs?: number;
  /** The size or the text at which the client has seen enough and leaves. */
  readonly enough?: number | RegExp;
}

/** Sends one GET as bytes and reads until the server ends, or until size or patience is used up. */
export function askRaw(port: number, options: RawOptions = {}): Promise<RawAnswer> {
  const { path = "/info/refs?service=git-upload-pack", patienceMs = 60_000, enough = Infinity } = options;
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    const patience = setTimeout(() => socket.destroy(), patienceMs);
    let text = "";
    let ending: RawAnswer["ending"] = "open";
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      if (typeof enough === "number" ? text.length >= enough : enough.test(text)) socket.destroy();
    });
    socket.on("end", () => {
      ending = "end";
    });
    socket.on("error", (error) => {
      if (errorCode(error) === "ECONNRESET") ending = "reset";
      else reject(error);
    });
    socket.on("close", () => {
      clearTimeout(patience);
      resolve({ text, ending });
    });
    socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
  });
}
