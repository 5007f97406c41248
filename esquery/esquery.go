// Package esquery checks a search body before it is sent to Elasticsearch or
// OpenSearch. The body may be written by a model or a stranger:
//
//	report := validator.Check("orders", body)
//	search, err := report.Search() // err is a *refusal.Error
//	result, err := client.Search(ctx, search)
//
// Both engines answer many faulty bodies with status 200 and no hits, or with the
// wrong hits: a term query on an analyzed text, a field that does not exist, a
// nested object without a nested query, seconds in place of milliseconds. A
// [Validator] compares the body with the [Mapping] of the index and refuses such
// a body. Each problem has its location, a message and candidates.
//
// A check is here for one of three reasons: it catches a wrong or empty answer
// that engines give without an error, it protects data, or it bounds the cost. A
// body that engines reject themselves can pass; the error of the engine then says
// what is wrong.
//
// The cost of a body is bounded by fixed limits: on the empty
// buckets and the steps of histograms, on buckets in buckets, on aggregations and
// their filters, on words with fuzziness, patterns and expansions, and on the hits
// that are highlighted. At these limits, a body takes up to
// about 3 s of processor time and 250 MB of heap on an index of 50,000 hostile
// documents. The time grows with the documents, so that large indices also need
// a timeout. The limits assume that dates have years of four digits, and that a
// range query on a field with several values bounds all of them.
//
// The Validator also limits what the author of a body can see. The host's filter,
// for example on a tenant, is added to every part of a body that finds documents,
// and parts that could reach around the filter are refused. Sensitive fields do
// not exist for the author. Queries, aggregations and parameters that the package
// does not know are refused.
//
// The package calls no model and no network, and equal input gives equal output.
// Accepted bodies are printed from the parsed text. Only a Validator makes a
// [Search], and package [github.com/qedkit/qed/esquery/esclient] runs nothing
// else.
package esquery
