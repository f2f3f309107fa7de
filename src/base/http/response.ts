/** An HTTP answer: first its head alone, then with the body as far as it was read. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Decoded. */
  readonly body: Buffer;
  /** Whether all of it was read. */
  readonly complete: boolean;
  /** Whether it is longer than `maxBytes`, so that the rest is not read. */
  readonly bounded: boolean;
  readonly tlsExpiresAt: string | undefined;
}
