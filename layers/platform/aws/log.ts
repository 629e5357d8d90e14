/** Log lines on AWS: powertools writes one JSON object a line, with the request's ids. */
import { Logger } from '@aws-lambda-powertools/logger';

import { unexpectedErrors } from '../../domain/metrics.ts';
import type { Log } from '../platform.ts';
import { publishCount } from './metrics.ts';

/** Powertools' logger, for the handler that wants its middleware too. */
export const createLogger = (service: string): Logger => new Logger({ serviceName: service, logLevel: 'INFO' });

/** A log whose lines name `service`, the function. An error among them is counted too: an alarm goes by that. */
export const createAwsLog = (service: string, logger = createLogger(service)): Log => ({
  info: (message, fields = {}) => logger.info(message, fields),
  warn: (message, fields = {}) => logger.warn(message, fields),
  error: (message, fields = {}) => {
    logger.error(message, fields);
    publishCount(unexpectedErrors(service), 1);
  },
});
