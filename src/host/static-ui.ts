// Owns what the Electron shell may know of how the built interface is served.
export { INTERFACE_HEADERS, readInterfaceFile } from '../gateway/api/static-files.ts'
