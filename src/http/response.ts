/** An HTTP answer: its head alone first, then all of it that is read. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Without its content encoding. */
  readonly body: Buffer;
  /** All of it has come. */
  readonly complete: boolean;
  /** It is longer than `maxBytes`, and no more of it is read. */
  readonly bounded: boolean;
  readonly tlsExpiresAt: string | undefined;
}
