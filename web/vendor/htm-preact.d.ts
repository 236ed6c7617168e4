// The types of what the screens use of htm 3.1.1 with preact (htm/preact/standalone.module.js).
export type Child = object | string | number | boolean | null | undefined;
export function h(type: unknown, props: object | null, ...children: unknown[]): object;
export function html(strings: TemplateStringsArray, ...values: unknown[]): object;
export function render(tree: Child, parent: Element): void;
export function useState<T>(start: T | (() => T)): [T, (next: T | ((before: T) => T)) => void];
export function useEffect(run: () => void | (() => void), on?: readonly unknown[]): void;
export function useLayoutEffect(run: () => void | (() => void), on?: readonly unknown[]): void;
export function useMemo<T>(make: () => T, on?: readonly unknown[]): T;
export function useCallback<T>(call: T, on: readonly unknown[]): T;
export function useRef<T>(start: T): { current: T };
