package esquery

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/refusal"
)

// plainIndex reports whether name can only be one index, alias or data stream of
// the cluster: not a pattern, list, exclusion, date math, remote cluster or part
// of a path.
func plainIndex(name string) bool {
	if name == "" || name == "_all" || name == "." || name == ".." || len(name) > maxIndexName || !utf8.ValidString(name) {
		return false
	}
	if strings.ContainsRune("-+_", rune(name[0])) {
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool {
		return strings.ContainsRune(`*?,:<>|\/"# %&`, r) || unicode.IsControl(r) || unicode.IsSpace(r) || unicode.IsUpper(r)
	})
}

const maxIndexName = 255 // bytes, the limit of the engines

// nearest returns the fields that may have been meant by path, best first, of
// those that fits accepts.
func (m *Mapping) nearest(path string, fits func(*Field) bool) []string {
	names := lists.Filter(m.known, func(name string) bool { return fits(m.fields[name]) })
	return refusal.Nearest(path, names, maxCandidates)
}

// same returns the one visible field whose path differs from path only in letter
// case and in _ and -. Dots between objects must agree.
func (m *Mapping) same(path string, visible func(path string) bool) (string, bool) {
	only := ""
	for _, name := range m.folded[fold(path)] {
		if !visible(name) {
			continue
		}
		if only != "" {
			return "", false
		}
		only = name
	}
	return only, only != ""
}

// fold removes the differences in spelling from a path.
func fold(path string) string {
	folds := func(r rune) bool { return r == '_' || r == '-' || r > unicode.MaxASCII || unicode.IsUpper(r) }
	if !strings.ContainsFunc(path, folds) {
		return path
	}
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' {
			return -1
		}
		return unicode.ToLower(r)
	}, path)
}
