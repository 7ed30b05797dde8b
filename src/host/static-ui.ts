// The Electron shell may only import from the host (see the import table).
export { readUiFile, UI_HEADERS } from '../gateway/compose/host-api.ts'
