package esquery

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/qedkit/qed/internal/option"
	"github.com/qedkit/qed/refusal"
)

// Options are the rules and limits of a [Validator]. A nil Options and zero fields
// mean the defaults. A negative limit is an error.
type Options struct {
	// Filter is a query that every hit must match, such as
	// {"term":{"tenantId":"a"}}. It is added to each part of a body that finds
	// documents, and parts that could reach around it are refused. A filter that
	// depends on the caller belongs in [Validator.Filtered]. The default is no
	// filter.
	Filter json.RawMessage
	// Sensitive are the fields that the author of a body must not read, search,
	// sort or aggregate by. A path covers everything below it, its multi-fields,
	// its aliases and the fields that it is copied to. A * matches any characters.
	// For the author these fields do not exist. The default is none.
	Sensitive []string
}

// ErrFilter is matched by the error of [NewValidator] and [Validator.Filtered] for
// a filter that is malformed or does not fit the mapping of one of the indices.
var ErrFilter = errors.New("the mandatory filter does not fit")

// A Validator checks search bodies. It is safe for concurrent use and never
// changes. Make one with [NewValidator].
type Validator struct {
	indices map[string]*index
	names   []string // of the indices, sorted
	filters []value  // every hit must match all of them
	opt     Options
}

// An index holds what a search of one index may use.
type index struct {
	mapping   *Mapping
	sensitive *sensitive
}

// NewValidator returns a Validator for the given indices. The keys are the exact
// names of indices or aliases that a search may give, the values their mappings. A
// nil opt means the defaults. If the indices of an alias read a field differently, a search
// of that field is refused ([ErrIndicesDiffer]) and possible by the names of the indices
// only: give these as well. The error matches [ErrFilter] or [ErrSensitive] if
// these options do not fit the indices.
func NewValidator(indices map[string]*Mapping, opt *Options) (*Validator, error) {
	o := option.Of(opt)
	if len(indices) == 0 {
		return nil, errors.New("esquery: NewValidator needs at least one index")
	}
	v := &Validator{opt: o, names: slices.Sorted(maps.Keys(indices)), indices: make(map[string]*index, len(indices))}
	for name, mapping := range indices {
		if !plainIndex(name) {
			return nil, fmt.Errorf(
				"esquery: index %s: give the exact name of one index or alias in lower case, without wildcards, "+
					"lists, exclusions, date math and remote clusters", quoted(name))
		}
		if mapping == nil {
			return nil, fmt.Errorf("esquery: index %s: its mapping is nil", quoted(name))
		}
		hidden, err := newSensitive(o.Sensitive, mapping)
		if err != nil {
			return nil, err
		}
		v.indices[name] = &index{mapping, hidden}
	}
	if err := v.allSensitive(); err != nil {
		return nil, err
	}
	if o.Filter != nil {
		return v.Filtered(o.Filter)
	}
	return v, nil
}

// allSensitive returns an error for a pattern without a field in any index, which
// is most likely misspelled.
func (v *Validator) allSensitive() error {
	for _, pattern := range v.opt.Sensitive {
		nowhere := true
		for _, index := range v.indices {
			nowhere = nowhere && slices.Contains(index.sensitive.missing, pattern)
		}
		if nowhere {
			return fmt.Errorf(
				"esquery: %w: no index has a field %s; write it with a * if the field may be added later",
				ErrSensitive, quoted(pattern))
		}
	}
	return nil
}

// Filtered returns a Validator with one more mandatory filter. It is cheap enough
// to be called for each request. A filter may use sensitive fields. The error
// matches [ErrFilter] if the filter does not fit one of the indices.
func (v *Validator) Filtered(filter json.RawMessage) (*Validator, error) {
	filtered := *v
	if len(bytes.TrimSpace(filter)) == 0 {
		return nil, fmt.Errorf("esquery: %w: it is empty; use match_all if every document may be found", ErrFilter)
	}
	for _, name := range v.names {
		c := checker{v: v, index: v.indices[name], trusted: true}
		root, ok := c.read(filter)
		if ok {
			c.query(&root)
		}
		if len(c.problems) > 0 {
			return nil, fmt.Errorf("esquery: %w: index %s: %w", ErrFilter, name, &refusal.Error{Problems: c.problems})
		}
		filtered.filters = append(v.filters[:len(v.filters):len(v.filters)], root)
	}
	return &filtered, nil
}

// Check reports whether body may be sent as a search of the index. An empty body
// finds all documents.
func (v *Validator) Check(index string, body []byte) *Report {
	c := checker{v: v, path: make([]step, 0, typicalDepth)}
	root, ok := c.read(body)
	if c.index = c.named(index); c.index != nil && ok {
		c.body(&root)
	}
	report := &Report{Verdict: c.verdict(), Problems: c.problems}
	if report.Verdict == Fixed {
		report.corrected = root.appendTo(nil)
	}
	if report.Verdict != Refused {
		report.search = c.assemble(index, root)
	}
	return report
}

// read parses a text of limited size.
func (c *checker) read(text []byte) (value, bool) {
	if len(text) > maxBytes {
		c.report(ErrBodyTooLarge, nil, "the body has %d bytes; at most %d are allowed", len(text), maxBytes)
		return value{}, false
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return objectValue(), true
	}
	root, err := readJSON(string(text), maxJSONDepth, func(path []step, key string) {
		c.path = append(c.path, path...)
		c.report(ErrDuplicateKey, nil,
			"the key %s occurs twice; engines refuse the body or ignore one of them", quoted(key))
		c.path = c.path[:0]
	})
	if err == nil {
		return root, true
	}
	if syntax := (*syntaxError)(nil); errors.As(err, &syntax) && syntax.tooDeep {
		c.report(ErrBodyTooLarge, nil, "%v", err)
	} else {
		c.report(ErrInvalidJSON, nil, "the body is not valid JSON: %v", err)
	}
	return value{}, false
}

const (
	typicalDepth = 24  // the capacity of a path
	maxJSONDepth = 200 // more than a body within MaxDepth needs
)

// Indices returns the sorted names of the indices that may be searched.
func (v *Validator) Indices() []string { return slices.Clone(v.names) }

// FieldType returns the type of a field in the mapping of an index, such as
// "keyword". It returns "" for an unknown or sensitive field, and if the indices of
// the mapping disagree.
func (v *Validator) FieldType(index, path string) string {
	ix := v.indices[index]
	if ix == nil || ix.sensitive.hides(path) {
		return ""
	}
	if f, ok := ix.mapping.Field(path); ok && len(f.Types) == 0 {
		return f.Type
	}
	return ""
}

// named returns the index of that exact name, or reports that there is none.
func (c *checker) named(name string) *index {
	if found := c.v.indices[name]; found != nil {
		return found
	}
	candidates := refusal.Nearest(name, c.v.names, maxCandidates)
	if len(candidates) == 0 && len(c.v.names) <= maxCandidates {
		candidates = c.v.names
	}
	c.report(ErrUnknownIndex, slices.Clone(candidates),
		"there is no index %s that may be searched; give the exact name of one index", quoted(name))
	return nil
}
