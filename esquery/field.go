package esquery

import "slices"

// A Field is what the mappings say about one name that a search can use.
type Field struct {
	// Path is the name in a search: "author.name", or "title.raw" for a
	// multi-field.
	Path string
	// Type is the type in the mapping. An alias has the type of its target, a
	// key of a flattened field the type of that field. If the indices disagree,
	// it is the first of Types.
	Type string
	// Types are the sorted types if the indices of the mapping disagree. It is
	// nil if they agree.
	Types []string
	// Target is the field that an alias stands for. It is empty for other
	// fields.
	Target string
	// Parent is the field whose values a multi-field holds. It is empty for
	// other fields.
	Parent string
	// Nested is the nearest nested object around the field. It is empty for
	// fields of the document itself.
	Nested string

	// Searchable reports whether a query can use the values. It can be true for
	// a field without an index that has doc values: such a query is slow.
	Searchable bool
	// Sortable reports whether the field has doc values or fielddata, which
	// sorting, aggregations and collapsing need. Some types with doc values
	// cannot be sorted by.
	Sortable bool
	// Formats are the formats of a date, in the order in which they are tried.
	Formats []string

	family    family
	included  []string // further nested objects whose queries see the field; "" is the document
	copyTo    []string
	script    string   // of a runtime field
	indexed   bool     // the field has an index
	positions bool     // the index of a text has the positions of words, for phrases
	analyzer  string   // of a text; empty: the default of the index
	targets   []string // of an alias, in each index
	flattened bool     // in one of the indices
	relations []string // the parents and children of a join

	ignoreAbove int    // the characters of the longest value in the index; 0: no limit
	split       string // how the indices treat the field differently, so that a search finds it in some of them; empty: alike
	reading     string // how an index reads values, in words that differ between indices that do not read them alike
}

// An ability is one use of a field.
type ability uint16

const (
	canExist        ability = 1 << iota // exists
	canTerm                             // term and terms: a value
	canMatch                            // match: a value, or the words of a text
	canPhrase                           // match_phrase
	canPhrasePrefix                     // match_phrase_prefix, match_bool_prefix
	canPrefix                           // prefix
	canPattern                          // wildcard, regexp
	canFuzzy                            // fuzzy
	canRange                            // range
	canSort                             // sort
	canGroup                            // buckets by value: terms
	canCount                            // cardinality, value_count, missing
	canCalculate                        // sum, avg, percentiles, histogram
)

// can reports whether the field has all these abilities.
func (f *Field) can(a ability) bool { return f.abilities()&a == a }

func (f *Field) abilities() ability {
	const (
		ofSearch    = canTerm | canMatch | canPhrase | canPhrasePrefix | canPrefix | canPattern | canFuzzy | canRange
		ofDocValues = canSort | canGroup | canCount | canCalculate
	)
	a := families[f.family]
	switch {
	case f.family == textFamily && !f.positions:
		a &^= canPhrase | canPhrasePrefix
	case f.family == metaFamily:
		a = metaAbilities[f.Path]
	}
	if except, ok := exceptions[f.Type]; ok && f.family != keyedFamily {
		a &^= except
	}
	if !f.Searchable {
		a &^= ofSearch
		if !f.Sortable && families[f.family]&canTerm != 0 {
			a &^= canExist
		}
	}
	if !f.Sortable {
		a &^= ofDocValues
	}
	return a
}

// inScope reports whether a query on that nested object sees the field. An empty
// name is the document itself.
func (f *Field) inScope(nested string) bool {
	return f.Nested == nested || f.family == metaFamily || slices.Contains(f.included, nested)
}

// holds reports whether a query on that nested object sees the contents of the
// nested object f. An exists query needs that: it finds nothing from elsewhere.
func (f *Field) holds(nested string) bool {
	return f.Path == nested || slices.Contains(f.included, nested)
}

// A family is a group of types that are used in the same way.
type family uint8

const (
	otherFamily family = iota // a type that this package does not know
	objectFamily
	nestedFamily
	textFamily
	keywordFamily
	numberFamily
	dateFamily
	booleanFamily
	ipFamily
	versionFamily
	rangeFamily // of numbers
	dateRangeFamily
	ipRangeFamily
	geoPointFamily
	geoShapeFamily
	opaqueFamily    // whose values cannot be searched here
	flattenedFamily // the field as a whole
	keyedFamily     // a key of a flattened field
	histogramFamily
	binaryFamily
	semanticFamily
	murmurFamily
	metaFamily // _id, _index and other metadata
)

// types are those of Elasticsearch 8 and OpenSearch 2, with their plugins.
var types = map[string]family{
	"object": objectFamily, "passthrough": objectFamily, "nested": nestedFamily,
	"text": textFamily, "match_only_text": textFamily, "search_as_you_type": textFamily,
	"annotated_text": textFamily, "pattern_text": textFamily,
	"keyword": keywordFamily, "constant_keyword": keywordFamily, "counted_keyword": keywordFamily,
	"wildcard": keywordFamily, "icu_collation_keyword": keywordFamily,
	"byte": numberFamily, "short": numberFamily, "integer": numberFamily, "long": numberFamily,
	"unsigned_long": numberFamily, "half_float": numberFamily, "float": numberFamily, "double": numberFamily,
	"scaled_float": numberFamily, "token_count": numberFamily, "aggregate_metric_double": numberFamily,
	"date": dateFamily, "date_nanos": dateFamily, "boolean": booleanFamily, "ip": ipFamily, "version": versionFamily,
	"integer_range": rangeFamily, "long_range": rangeFamily, "float_range": rangeFamily,
	"double_range": rangeFamily, "date_range": dateRangeFamily, "ip_range": ipRangeFamily,
	"geo_point": geoPointFamily, "geo_shape": geoShapeFamily,
	"point": opaqueFamily, "xy_point": opaqueFamily, "shape": opaqueFamily, "xy_shape": opaqueFamily,
	"dense_vector": opaqueFamily, "knn_vector": opaqueFamily,
	"sparse_vector": opaqueFamily, "rank_feature": opaqueFamily, "rank_features": opaqueFamily,
	"completion": opaqueFamily, "flattened": flattenedFamily, "flat_object": flattenedFamily,
	"join": keywordFamily, "percolator": opaqueFamily,
	"histogram": histogramFamily, "exponential_histogram": histogramFamily,
	"binary": binaryFamily, "rank_vectors": binaryFamily,
	"semantic_text": semanticFamily, "semantic": semanticFamily, "murmur3": murmurFamily,
}

const (
	ofValue   = canExist | canTerm | canMatch | canPhrase
	ofWords   = canPrefix | canPattern | canFuzzy | canRange
	ofBuckets = canSort | canGroup | canCount
)

// families are the abilities of a field that has an index and doc values: the
// uses to which both engines give a correct answer.
var families = [metaFamily + 1]ability{
	otherFamily:     ofValue | ofWords | ofBuckets | canPhrasePrefix | canCalculate,
	objectFamily:    canExist,
	nestedFamily:    canExist,
	textFamily:      ofValue | ofWords | ofBuckets | canPhrasePrefix,
	keywordFamily:   ofValue | ofWords | ofBuckets,
	numberFamily:    ofValue | canRange | ofBuckets | canCalculate,
	dateFamily:      ofValue | canRange | ofBuckets | canCalculate,
	booleanFamily:   ofValue | canRange | ofBuckets | canCalculate,
	ipFamily:        ofValue | canRange | ofBuckets,
	versionFamily:   ofValue | ofWords | ofBuckets,
	rangeFamily:     ofValue | canRange | canCount,
	dateRangeFamily: ofValue | canRange | canCount,
	ipRangeFamily:   ofValue | canRange | canCount,
	geoPointFamily:  canExist | canCount,
	geoShapeFamily:  canExist | canCount,
	opaqueFamily:    canExist,
	flattenedFamily: ofValue | ofWords | ofBuckets,
	keyedFamily:     ofValue | canPrefix | canRange | ofBuckets,
	histogramFamily: canExist | canCalculate | canCount,
	binaryFamily:    canExist,
	semanticFamily:  canExist | canMatch,
	murmurFamily:    canCount,
}

// exceptions are abilities of a family that a type lacks.
var exceptions = map[string]ability{
	"constant_keyword":      canFuzzy,
	"counted_keyword":       canTerm | canMatch | canPhrase | ofWords | canSort,
	"icu_collation_keyword": canPrefix | canPattern | canFuzzy,
	"match_only_text":       ofBuckets,
	"annotated_text":        ofBuckets,
	"pattern_text":          ofBuckets,
	"flat_object":           ofBuckets,
	"join":                  ofWords,
	"rank_features":         canExist,

	"aggregate_metric_double": canGroup,
}

// metaAbilities are the abilities of metadata fields.
var metaAbilities = map[string]ability{
	"_id":      canExist | canTerm | canMatch | ofBuckets,
	"_index":   ofValue | canPrefix | canPattern | ofBuckets,
	"_routing": ofValue,
	"_ignored": ofValue | ofBuckets,
	"_seq_no":  ofValue | canRange | ofBuckets,
	"_version": canExist | ofBuckets | canCalculate,
	"_tier":    ofValue,
	"_size":    ofValue | canRange | ofBuckets | canCalculate,
}

func newMetaFields() map[string]*Field {
	fields := make(map[string]*Field, len(metaAbilities))
	for name := range metaAbilities {
		fields[name] = &Field{
			Path: name, Type: name, family: metaFamily,
			Searchable: name != "_version", Sortable: name != "_id",
		}
	}
	return fields
}
