/** Log lines on AWS: powertools writes one JSON object a line, with the request's ids. */
import { Logger } from '@aws-lambda-powertools/logger';

import type { Log } from '../platform.ts';

/** Powertools' logger, for the handler that wants its middleware too. */
export const createLogger = (service: string): Logger => new Logger({ serviceName: service, logLevel: 'INFO' });

/** A log whose lines name `service`, the function. Errors among them are counted by their level: alarms go by that (infra/counts.ts). */
export const createAwsLog = (service: string, logger = createLogger(service)): Log => ({
  info: (message, fields = {}) => logger.info(message, fields),
  warn: (message, fields = {}) => logger.warn(message, fields),
  error: (message, fields = {}) => logger.error(message, fields),
});
