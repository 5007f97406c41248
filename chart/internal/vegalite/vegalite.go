// Package vegalite has the rules for names in Vega-Lite specs that packages
// chart and chart/lint share.
package vegalite

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/qedkit/qed/internal/option"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/refusal"
)

// Schema is the value of a spec's $schema.
const Schema = "https://vega.github.io/schema/vega-lite/v6.json"

// Style is the house style, a config of Vega-Lite. It sets no color of texts and
// backgrounds, which are those of the page.
//
//go:embed style.json
var Style json.RawMessage

// MaxText is the maximum length of a title and of a category, in bytes.
const MaxText = 200

// MoreRows is the note on a chart of a truncated table.
const MoreRows = "There are more rows than the table has, and they are not drawn."

// inherited has the names that every object in a browser has. Vega finds the
// wrong value under them.
var inherited = map[string]bool{
	"__proto__": true, "__defineGetter__": true, "__defineSetter__": true, "__lookupGetter__": true, "__lookupSetter__": true,
	"constructor": true, "hasOwnProperty": true, "isPrototypeOf": true, "propertyIsEnumerable": true,
	"toLocaleString": true, "toString": true, "valueOf": true,
}

// IsInherited reports whether every object in a browser has a property of that
// name.
func IsInherited(name string) bool { return inherited[name] }

// IsUnsafe reports whether r in a name could end the string that the name
// becomes part of. Vega-Lite writes names into expressions and does not escape
// all of them.
func IsUnsafe(r rune) bool {
	return r == '\'' || r == '"' || r == '`' || r == '\\' || r < ' ' || r == 0x7f || r == '\u2028' || r == '\u2029'
}

// Escape returns a field name as Vega-Lite reads it: dots and brackets are part
// of the name and not a path.
func Escape(field string) string { return escaper.Replace(field) }

var escaper = strings.NewReplacer(`\`, `\\`, `.`, `\.`, `[`, `\[`, `]`, `\]`, `'`, `\'`, `"`, `\"`)

// UnknownWord is the problem that got is not one of words; what is their kind,
// such as "aggregate".
func UnknownWord[W ~string](path, what string, got W, words []W) refusal.Problem {
	known := make([]string, len(words))
	for i, w := range words {
		known[i] = string(w)
	}
	return refusal.Problem{
		Code: "unknown_name", Path: path,
		Message:    fmt.Sprintf("there is no %s %s", what, Quoted(string(got))),
		Candidates: Similar(string(got), known),
	}
}

// Similar returns the words that may have been meant, or all words if there are
// few.
func Similar(word string, words []string) []string {
	if near := refusal.Nearest(word, words, 3); len(near) > 0 {
		return near
	}
	if len(words) <= 12 {
		return words
	}
	return nil
}

// Quoted returns a name for an error text, shortened.
func Quoted(name string) string { return prompt.Quote(prompt.Clip(name, 60)) }

// DefaultLimits fills in the default limits of a chart. pkg is the package that
// an error names.
func DefaultLimits(pkg string, rows, bytes, categories *int) error {
	return cmp.Or(
		option.Default(pkg+": Limits.Rows", rows, 5000),
		option.Default(pkg+": Limits.Bytes", bytes, 512<<10),
		option.Default(pkg+": Limits.Categories", categories, 20),
	)
}
