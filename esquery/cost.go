package esquery

// The limits of this file bound the cost of one body. The figures are seconds of
// processor time and heap of a server with 512 MB of heap and an index of 50,000 documents, one shard, Elasticsearch 8.19
// (ES) and OpenSearch 2.19 (OS). TestSearchCost in the integration tests takes
// them again: it generates bodies on both sides of each limit.

// A body as a whole.
const (
	maxBytes = 65_536 // the length of a body
	// maxHits is the maximum of from plus size, and of the hits of all buckets.
	maxHits = 10_000
	// maxDepth is the maximum nesting of queries and aggregations, counted
	// together.
	maxDepth = 20
	// maxBuckets is the maximum number of buckets of all aggregations, as far as
	// the body and the mapping determine it.
	maxBuckets = 65_536
	maxClauses = 1024 // the queries of a body
	maxTerms   = 1024 // the values of a terms query
)

// Histograms. The number of buckets depends on the documents. It is known from
// hard_bounds, or from a range that every document must match. OpenSearch applies
// its limit on buckets only after it made the empty ones. Ranges have no histogram:
// each is counted in each step that it covers, and can have no end.
const (
	// maxGaps is the maximum number of empty buckets that a histogram could make.
	// Without bounds, dates are taken to lie in the years 1 to 9999, and numbers
	// anywhere in their type. A histogram of days, 3.7 million steps, takes OS
	// 1.8 s and 150 MB before it is rejected; one of hours ends the server.
	maxGaps = 4_000_000
	// usualYears is the time that the dates of an index are taken to span where
	// the buckets of a histogram are counted that has other buckets below it.
	usualYears = 30
)

// Buckets in buckets.
const (
	// maxParents is the maximum number of buckets in each of which other buckets
	// are made: to list those of one bucket, engines go through those of all. 1,000
	// buckets of 50,000 values take 0.5 s, 5,000 take 2.4 s, 50,000 more than 30 s.
	maxParents = 2000
	// maxFilters is the maximum number of queries of all filters aggregations: each
	// is run on all documents. 200 take 3 s.
	maxFilters = 100
	// maxAggregations is the maximum number of aggregations of a body. Each reads
	// the values of all documents: 100 percentiles take 2.5 s.
	maxAggregations = 64
)

// Words and patterns.
const (
	// maxRegexp is the maximum number of characters of a pattern, the limit of the
	// engines.
	maxRegexp = 1000
	// maxStates is the maximum number of states of an automaton, the default of
	// the engines.
	maxStates = 10_000
	// maxFuzzy is the maximum length in bytes of a text with fuzziness: engines
	// search the whole index for each of its words.
	maxFuzzy = 1000
	// expansions is the number of words that engines look up for one word that is
	// incomplete or misspelled, and their default. 20,000 take 5.6 s in a phrase.
	expansions = 50
	// maxLookups is the maximum number of lookups of a body: of each word with
	// fuzziness in each field. 100 take 0.8 s, 1,000
	// take 5 s, and a simple_query_string of 570 such words in five fields does not
	// end within 30 s.
	maxLookups = 100
	// patternLookups is the cost of a wildcard or regexp, in lookups: 50 regexps
	// with large automata take 4.2 s, 200 more than 8 s and 300 MB.
	patternLookups = 5
	// maxQueryString is the maximum length in bytes of a simple_query_string.
	maxQueryString = 4096
	// maxPatterns is the maximum number of patterns of field names in a body. Each
	// is compared with all fields, here and by the engine.
	maxPatterns = 30
)

// Hits.
const (
	// maxTopHits is the maximum number of hits of each top_hits, the default limit of
	// the engines.
	maxTopHits = 100
	// maxHighlights is the maximum number of texts that are highlighted: the hits
	// times the fields. 200 texts of 3,000 words take 0.5 s, 2,000 take 4.7 s.
	maxHighlights = 500
	// maxPoints is the maximum number of points from whose nearest one hits are
	// sorted. 1,500 take more than 11 s.
	maxPoints = 20
)
