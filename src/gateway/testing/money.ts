/** USD as whole nano-dollars, which can be compared exactly; NaN for none. */
export const nano = (usd: number | null | undefined) => Math.round((usd ?? Number.NaN) * 1e9)

export const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0)
