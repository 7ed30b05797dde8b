/** The log file in the data folder. Rotated files are `logs/tollgate.1.log` (newest) and so on. */
export const LOG_FILE = 'logs/tollgate.log'
