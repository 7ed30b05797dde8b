// Owns what the Electron shell may know of how the built interface is served.
export { readUiFile, UI_HEADERS } from '../gateway/api/static-files.ts'
