import type { Socket } from "node:net";
import { type SecureContext, TLSSocket } from "node:tls";
import { type buildConnector, Client, type Dispatcher, EnvHttpProxyAgent } from "undici";
import type { Proxies } from "./proxies.ts";
import { type OnStep, traceTls } from "./trace.ts";

export type { Dispatcher } from "undici";
/** Connects to the origin of a dispatcher, and hands over the socket or the error. */
export type Dial = (callback: buildConnector.Callback) => void;

/** The size of a head is that of curl and Git. The deadline of a probe replaces the timeouts. */
const limits = { maxHeaderSize: 300 * 1024, headersTimeout: 0, bodyTimeout: 0 };

interface DispatcherOptions {
  readonly proxies: Proxies | undefined;
  readonly secureContext: SecureContext;
  readonly onStep?: OnStep | undefined;
}

/**
 * Returns undici's client of one origin. It connects with `dial`, or through a proxy unless the origin is excepted. Calls
 * `show` with each socket of a proxied connection before it is read: first the socket to the proxy (`isWire`), then the
 * one to the origin.
 */
export function openDispatcher(
  origin: string,
  { proxies, secureContext, onStep }: DispatcherOptions,
  dial: Dial,
  show: (socket: Socket, isWire: boolean) => void,
): Dispatcher {
  const connect: Client.Options["connect"] = (_, callback) => {
    dial(callback);
  };
  if (proxies === undefined) return new Client(origin, { ...limits, connect });
  return new EnvHttpProxyAgent({
    ...limits,
    // For origins that are excepted from the proxies.
    connect,
    clientFactory: (proxy, options: Client.Options) =>
      new Client(
        proxy,
        afterConnecting(options, (socket) => {
          const { remoteAddress = "", remotePort = 0 } = socket;
          onStep?.({ step: "proxy", address: remoteAddress, port: remotePort });
          show(socket, true);
          return undefined;
        }),
      ),
    factory: (reached, options: Client.Options) =>
      new Client(
        reached,
        afterConnecting(options, (socket) => {
          show(socket, false);
          if (onStep === undefined || !(socket instanceof TLSSocket)) return undefined;
          return traceTls(socket, socket.getPeerX509Certificate(), onStep);
        }),
      ),
    httpProxy: proxies.http ?? "",
    httpsProxy: proxies.https ?? "",
    noProxy: proxies.except ?? "",
    // A traced connection first shows the certificate, and then fails in the same way.
    requestTls: { secureContext, rejectUnauthorized: onStep === undefined },
  });
}

/** Returns options of a client that show each connected socket, and fail with the error that `show` returns. */
function afterConnecting(
  options: Client.Options,
  show: (socket: Socket) => Error | undefined,
): Client.Options {
  const { connect } = options;
  if (typeof connect !== "function") return options;
  return {
    ...options,
    connect: (to, callback) => {
      connect(to, (...connected) => {
        // ProxyAgent leaves the socket out if it fails.
        const error = connected[1] ? show(connected[1]) : undefined;
        if (error === undefined) {
          callback(...connected);
        } else {
          connected[1]?.destroy();
          callback(error, null);
        }
      });
    },
  };
}
