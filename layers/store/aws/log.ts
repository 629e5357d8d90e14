/** Log lines on AWS: powertools writes one JSON object a line, with the request's ids. */
import { Logger } from '@aws-lambda-powertools/logger';

import type { Log } from '../ports.ts';

/** A log whose lines name `service`, the function. */
export const createAwsLog = (service: string): Log => {
  const logger = new Logger({ serviceName: service, logLevel: 'INFO' });
  return {
    info: (message, fields = {}) => logger.info(message, fields),
    warn: (message, fields = {}) => logger.warn(message, fields),
    error: (message, fields = {}) => logger.error(message, fields),
  };
};
