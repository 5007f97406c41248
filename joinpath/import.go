package joinpath

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/refusal"
)

// usualConfidence is that of a relationship that another program lists without
// one: object mappers are mostly right.
const usualConfidence = 0.9

// Import reads the JSON form as other programs write it. [Read] is strict; Import
// leaves out what it cannot use, reports it, and reads the rest:
//
//   - Unknown fields are ignored. The version and the tables may be missing:
//     then the relationships may refer to any table.
//   - A relationship without a confidence has 1 if its type is [ForeignKey] or
//     [Manual], and 0.9 otherwise.
//   - A cardinality may be spelled in another way, such as "many-to-one". One
//     that is not known is ignored.
//   - A relationship is left out if it refers to a table or a column that is not
//     listed. One that is listed twice is read once, with the higher confidence
//     and the provenance of both.
//
// The problems are at most 100. The error is a [*refusal.Error] of code
// [ErrSchema] if the text is not a JSON object or has another version.
func Import(r io.Reader) (*Schema, []refusal.Problem, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxSize+1))
	if err != nil {
		return nil, nil, fmt.Errorf("joinpath: read schema: %w", err)
	}
	var d decoder
	top := d.text(data)
	version := Version
	d.value("/version", top.get("version"), &version)
	if version != Version {
		d.add("/version", "version %d is not supported, only version %d", version, Version)
	}
	if err := d.err(); err != nil {
		return nil, nil, err
	}
	in := importer{ignored: map[string]int{}}
	s := &Schema{Version: Version, Tables: map[string]Table{}, Relationships: []Relationship{}}
	in.fields("", "the file", data, schemaFields)
	in.value("/name", top.get("name"), &s.Name)
	var tables map[string]json.RawMessage
	in.value("/tables", top.get("tables"), &tables)
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		in.table(s, name, tables[name])
	}
	var list []json.RawMessage
	in.value("/relationships", top.get("relationships"), &list)
	in.relationships(s, list)
	for _, what := range slices.Sorted(maps.Keys(in.ignored)) {
		in.add("", "ignored %s, %d times", what, in.ignored[what])
	}
	return s, in.problems, nil
}

// importer reads what it can use.
type importer struct {
	decoder
	ignored map[string]int // unknown fields, and how often each occurs
}

// fields counts the unknown fields of an object. It reports whether raw is one.
func (in *importer) fields(path, what string, raw json.RawMessage, known []string) bool {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil || all == nil {
		in.add(path, "%s is not an object", clip(raw))
		return false
	}
	for name := range all {
		if !slices.Contains(known, name) {
			in.ignored[fmt.Sprintf("the field %q of %s", prompt.Clip(name, 40), what)]++
		}
	}
	return true
}

// table adds a table to s: only its columns if anything else about it is wrong.
func (in *importer) table(s *Schema, name string, raw json.RawMessage) {
	path := tablePath(name)
	if !in.fields(path, "a table", raw, tableFields) {
		return
	}
	var t Table
	in.value(path, raw, &t)
	if problems := checkTable(path, name, t); len(problems) > 0 {
		in.take(problems)
		t = Table{Columns: t.Columns}
		if len(checkTable(path, name, t)) > 0 {
			return
		}
	}
	s.Tables[name] = t
}

func checkTable(path, name string, t Table) []refusal.Problem {
	c := checker{columns: map[string]map[string]bool{}}
	c.table(path, name, t)
	return c.problems
}

// relationships adds those of a list that are right to s.
func (in *importer) relationships(s *Schema, list []json.RawMessage) {
	tables := checker{partial: len(s.Tables) == 0, columns: map[string]map[string]bool{}, schema: s}
	for name, t := range s.Tables {
		tables.table("", name, t)
	}
	kept := make(map[string]int, len(list))
	for i, raw := range list {
		path := relationshipPath(i)
		if !in.fields(path, "a relationship", raw, relationshipFields) {
			continue
		}
		var read struct {
			Relationship
			Confidence  *float64 `json:"confidence"`
			Cardinality string   `json:"cardinality"`
		}
		if err := json.Unmarshal(raw, &read); err != nil {
			in.value(path, raw, &read)
			continue
		}
		r := read.Relationship
		switch {
		case read.Confidence != nil:
			r.Confidence = *read.Confidence
		case r.Type == ForeignKey || r.Type == Manual:
			r.Confidence = 1
		default:
			r.Confidence = usualConfidence
		}
		r.Cardinality = in.cardinality(path, read.Cardinality)
		tables.report = report{}
		tables.relationship(path, r)
		if len(tables.problems) > 0 {
			in.take(tables.problems)
			continue
		}
		key := r.directedKey()
		if at, dup := kept[key]; dup {
			first := &s.Relationships[at]
			if r.Cardinality != "" && first.Cardinality != "" && r.Cardinality != first.Cardinality {
				in.add(path, "ignored the cardinality %s: /relationships/%d says %s", r.Cardinality, at, first.Cardinality)
			}
			first.Confidence = max(first.Confidence, r.Confidence)
			first.Cardinality = cmp.Or(first.Cardinality, r.Cardinality)
			first.Role = cmp.Or(first.Role, r.Role)
			first.Provenance = lists.Add(first.Provenance, r.Provenance...)
			first.Evidence = lists.Add(first.Evidence, r.Evidence...)
			continue
		}
		kept[key] = len(s.Relationships)
		s.Relationships = append(s.Relationships, r)
	}
}

// cardinality reads a cardinality in one of its spellings.
func (in *importer) cardinality(path, text string) Cardinality {
	word := strings.NewReplacer("_", "", "-", "", " ", "", ":", "", "to", "", "one", "1", "many", "n", "m", "n", "*", "n").
		Replace(strings.ToLower(text))
	switch word {
	case "":
		return ""
	case "n1":
		return ManyToOne
	case "1n":
		return OneToMany
	case "11":
		return OneToOne
	case "nn":
		return ManyToMany
	}
	in.add(path, "ignored the cardinality %q", prompt.Clip(text, 40))
	return ""
}

// take adds problems as they are.
func (r *report) take(problems []refusal.Problem) {
	room := maxProblems - len(r.problems)
	r.problems = append(r.problems, problems[:min(len(problems), room)]...)
}
