/** "1 model", "12 models" */
export function countModels(count: number): string {
  return count === 1 ? '1 model' : `${count} models`
}
