/** Requests with an unreadable or oversized body, or without an acceptable answer. */
import { parseJson } from '../../../testkit/json.js';
import { targetOf } from '../case.js';
import { at, type FaultMaker, jsonSchemaOf } from './faults.js';

/** A body that is malformed, of another media type, or missing. */
export const unreadableBodies: FaultMaker = (made) => {
  const { body, headers } = made;
  if (body === undefined) return [];
  const of = (mediaType: string, bytes = body.bytes) => ({
    ...made,
    body: { ...body, mediaType, bytes },
  });
  const accepted = targetOf(made).bodies.map(([mediaType]) => mediaType);
  const other = [
    ...[
      '',
      'text/plain',
      'application/xml',
      'application/x-www-form-urlencoded',
      'json',
      'application/jsonp',
    ].filter((mediaType) => !accepted.includes(mediaType)),
    `${body.mediaType}; charset=utf-16`,
  ].map((mediaType) => at(of(mediaType), 'another media type', [415]));
  const packed = { ...made, headers: { ...headers, 'Content-Encoding': 'br' } };
  if (jsonSchemaOf(made) === undefined) return [...other, at(packed, 'a compressed body', [415])];
  const text = body.bytes.toString();
  const broken = [
    text.slice(0, -1),
    `${text}x`,
    `${text},`,
    '{',
    "{'a':1}",
    '[1,]',
    '\ufeff{',
    'undefined',
    'NaN',
  ];
  return [
    ...other,
    at(packed, 'a compressed body', [415]),
    ...broken
      .filter((text) => parseJson(text) === undefined)
      .map((bytes) => at(of(body.mediaType, Buffer.from(bytes)), 'no JSON', [400])),
    at(of(body.mediaType, Buffer.from('"\xff\xfe"', 'latin1')), 'no UTF-8', [400]),
    at(of(body.mediaType, Buffer.alloc(0)), 'an empty body', [400]),
  ];
};

/** A body that exceeds the limits of the contract. */
export const largeBodies: FaultMaker = (made) => {
  const { body } = made;
  const { maxBody } = targetOf(made);
  if (body === undefined || jsonSchemaOf(made) === undefined) return [];
  const of = (bytes: Buffer) => ({ ...made, body: { ...body, bytes } });
  const deep = Buffer.from('['.repeat(5000) + ']'.repeat(5000));
  const tooDeep = at(of(deep), 'a body too deep', [400], '/body');
  if (maxBody === undefined) return [tooDeep];
  const padding = Buffer.alloc(Math.max(0, maxBody + 1 - body.bytes.length), ' ');
  return [tooDeep, at(of(Buffer.concat([body.bytes, padding])), 'a body too large', [413])];
};

/** An Accept header that excludes every media type of the operation. */
export const unacceptableTypes: FaultMaker = (made) => {
  if (targetOf(made).produces.length === 0) return [];
  const accepts = ['application/xml', 'image/*', 'application/problem+json', '*/*;q=0'];
  return accepts.map((Accept) =>
    at({ ...made, headers: { ...made.headers, Accept } }, 'no acceptable answer', [406]),
  );
};
