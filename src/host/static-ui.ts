// The Electron shell may only import from the host (see docs/architecture.md).
export { readUiFile, UI_HEADERS } from '../gateway/compose/host-api.ts'
