/** What an expression can look up: texts, by a path of names. */
export interface Context {
  readonly [name: string]: string | Context | undefined;
}

export interface Scope {
  readonly contexts: Context;
  /** success(), failure() and the like. */
  readonly functions: Readonly<Record<string, () => boolean>>;
}

type Value = string | boolean;

/** Returns a text with every `${{ … }}` evaluated. */
export function interpolate(text: string, scope: Scope): string {
  return text.replaceAll(/\$\{\{(.*?)\}\}/gs, (_, source: string) => String(evaluate(source, scope)));
}

/** Returns whether an `if:` is true. Without a status function it is true only after success. */
export function holds(condition: string | undefined, scope: Scope): boolean {
  if (condition === undefined) return isTrue(evaluate("success()", scope));
  const source = /^\s*\$\{\{(.*)\}\}\s*$/s.exec(condition)?.[1] ?? condition;
  const asksStatus = /\b(?:success|failure|always|cancelled)\(\)/.test(source);
  return isTrue(evaluate(asksStatus ? source : `success() && (${source})`, scope));
}

/** Evaluates paths, quoted texts, functions without parameters, `!`, `==`, `!=`, `&&`, `||`; throws at all else. */
function evaluate(source: string, { contexts, functions }: Scope): Value {
  const tokens = source.match(/'(?:[^']|'')*'|&&|\|\||[=!]=|[!()]|[\w.-]+|\S/g) ?? [];
  let at = 0;
  const value = either();
  if (at < tokens.length) throw new Error(`"${tokens[at] ?? ""}" is not expected in "${source}".`);
  return value;

  function take(token: string): boolean {
    if (tokens[at] !== token) return false;
    at += 1;
    return true;
  }

  function need(token: string): void {
    if (!take(token)) throw new Error(`"${token}" is missing in "${source}".`);
  }

  function either(): Value {
    let left = both();
    while (take("||")) {
      const right = both();
      left = isTrue(left) ? left : right;
    }
    return left;
  }

  function both(): Value {
    let left = equality();
    while (take("&&")) {
      const right = equality();
      left = isTrue(left) ? right : left;
    }
    return left;
  }

  function equality(): Value {
    const left = unary();
    if (take("==")) return isSame(left, unary());
    if (take("!=")) return !isSame(left, unary());
    return left;
  }

  function unary(): Value {
    return take("!") ? !isTrue(unary()) : primary();
  }

  function primary(): Value {
    if (take("(")) {
      const inner = either();
      need(")");
      return inner;
    }
    const token = tokens[at] ?? "";
    at += 1;
    if (token.startsWith("'")) return token.slice(1, -1).replaceAll("''", "'");
    return take("(") ? call(token) : lookUp(token);
  }

  function call(name: string): boolean {
    need(")");
    const called = functions[name];
    if (called === undefined) throw new Error(`"${name}()" of "${source}" is not known here.`);
    return called();
  }

  function lookUp(path: string): string {
    const [root = "", ...names] = path.split(".");
    if (contexts[root] === undefined) throw new Error(`"${root}" of "${source}" is not known here.`);
    const found = names.reduce<string | Context | undefined>(
      (context, name) => (typeof context === "object" ? context[name] : undefined),
      contexts[root],
    );
    // As GitHub does: what is not there is empty.
    return typeof found === "string" ? found : "";
  }
}

function isTrue(value: Value): boolean {
  return value !== "" && value !== false;
}

/** GitHub compares texts without regard to their case. */
function isSame(left: Value, right: Value): boolean {
  return String(left).toLowerCase() === String(right).toLowerCase();
}
