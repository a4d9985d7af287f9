import type { RequestListener } from 'node:http';
import express, { type Express, type Request, type RequestHandler, type Response } from 'express';

/**
 * Runs a handler before an app's router, with the app's requests and responses. Express's router
 * takes a fifth of the processor time of a simple read. It gets what the handler passes on: other
 * requests, and errors. Call this before anything else is added to the app.
 */
export function bypassRouter(app: Express, handler: RequestHandler): RequestListener {
  const own = { app: { value: app } };
  const requests: Request = Object.create(express.request, own);
  const responses: Response = Object.create(express.response, own);
  app.use((_req, res, next) => next(res.locals.thrown));
  const serve = (req: Request, res: Response) => {
    // Set the prototypes last: adding properties afterwards is slower in V8, by a tenth of a simple
    // read.
    req.res = res;
    res.req = req;
    req.originalUrl = req.url;
    req.baseUrl = '';
    req.params = {};
    Object.setPrototypeOf(req, requests);
    Object.setPrototypeOf(res, responses);
    res.locals = {};
    handler(req, res, (thrown?: unknown) => {
      res.locals.thrown = thrown;
      app(req, res);
    });
  };
  // `serve` turns Node's requests and responses into the app's.
  return serve as RequestListener;
}
