package chart

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/refusal"
)

// Code says what kind of problem it is. A code keeps its meaning between versions.
type Code string

const (
	InvalidJSON  Code = "invalid_json"  // the spec is no JSON, or an object has a key twice
	TooLarge     Code = "too_large"     // longer, deeper or more rows than there may be
	Malformed    Code = "malformed"     // something is missing, or of another type
	UnknownName  Code = "unknown_name"  // a property, mark, channel or word that does not exist there
	Unsupported  Code = "unsupported"   // it exists in Vega-Lite, and is not supported here
	External     Code = "external"      // it would load or link to something
	Expression   Code = "expression"    // it would run an expression
	NoData       Code = "no_data"       // there is nothing to draw
	ForeignData  Code = "foreign_data"  // data of the spec's own, where it gets rows
	UnknownField Code = "unknown_field" // a field that the rows do not have
	FieldPath    Code = "field_path"    // a field whose dots or brackets would be read as a path
	FieldType    Code = "field_type"    // a type that the values of the field do not have

	AggregateType     Code = "aggregate_type"      // an aggregate that the values do not have, such as the sum of texts
	TooManyCategories Code = "too_many_categories" // more colours or slices than can be told apart
)

// A Problem is one thing that is wrong with a chart.
type Problem struct {
	Code Code `json:"code"`
	// Path says where, as a JSON Pointer into the spec, or into the arguments of the tool.
	// Empty means the whole.
	Path string `json:"path"`
	// Message says what is wrong and what would be right. It may repeat names of the spec,
	// cut short, and never a cell.
	Message string `json:"message"`
	// Candidates are what could have been meant, the likeliest first.
	Candidates []string `json:"candidates,omitempty"`
}

// Error is why a chart was refused.
type Error struct {
	Problems []Problem // in the order of the spec; never empty
}

const maxTold = 5

// Error says what is wrong, and what could have been meant.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(ErrRefused.Error())
	for i, p := range e.Problems {
		if i == maxTold {
			b.WriteString("; and " + strconv.Itoa(len(e.Problems)-i) + " more")
			break
		}
		b.WriteString([]string{": ", "; "}[min(i, 1)])
		if p.Path != "" {
			b.WriteString(p.Path + ": ")
		}
		b.WriteString(p.Message)
		if len(p.Candidates) > 0 {
			b.WriteString(" (perhaps " + strings.Join(p.Candidates, ", ") + ")")
		}
	}
	return b.String()
}

// Is reports whether target is [ErrRefused].
func (e *Error) Is(target error) bool { return target == ErrRefused }

func refuse(problems ...Problem) error { return &Error{problems} }

// unknownWord is the problem of a word that is none of words.
func unknownWord[W ~string](path, what string, got W, words []W) *Problem {
	return &Problem{Code: UnknownName, Path: path, Message: fmt.Sprintf("there is no %s %s", what, quoted(string(got))), Candidates: similar(string(got), texts(words))}
}

// similar are the words nearest to one, or all, where they are few.
func similar(word string, words []string) []string {
	if near := refusal.Nearest(word, words, 3); len(near) > 0 {
		return near
	}
	if len(words) <= 12 {
		return words
	}
	return nil
}

func texts[W ~string](words []W) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = string(w)
	}
	return out
}

func contains[W comparable](words []W, word W) bool {
	for _, w := range words {
		if w == word {
			return true
		}
	}
	return false
}

// quoted is a name of the spec as an error repeats it.
func quoted(name string) string { return prompt.Quote(prompt.Clip(name, 60)) }
