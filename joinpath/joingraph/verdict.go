package joingraph

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/joinpath"
)

// maxModelConfidence is the highest confidence that a model can give: what it says
// is never as certain as a declared key.
const maxModelConfidence = 0.95

// A Verdict is what a model said about one relationship. It is an opinion, and proves nothing.
type Verdict struct {
	// Join is the relationship, for people.
	Join string `json:"join"`

	// Basis identifies the relationship and the tables that the model was shown.
	// A verdict no longer applies once they have changed.
	Basis string `json:"basis"`

	// Confidence is the probability that the relationship is right, at most 0.95.
	// 0 drops it.
	Confidence float64 `json:"confidence"`

	Role   string `json:"role,omitempty"` // see [joinpath.Relationship.Role]
	Reason string `json:"reason"`
	Model  string `json:"model,omitempty"` // as the provider names it
}

// Apply returns s with the verdicts that still apply to it. It does not change s.
// A relationship that a verdict drops stays in it with a confidence of 0, which
// package joinpath ignores. Relationships that the database declares, or that a person
// has written, stay as they are.
func Apply(s *joinpath.Schema, verdicts []Verdict) *joinpath.Schema {
	known := byBasis(verdicts)
	out := *s
	out.Relationships = slices.Clone(s.Relationships)
	for i, r := range out.Relationships {
		v, ok := known[basis(s, r)]
		if !ok || !judged(r) {
			continue
		}
		r.Confidence = min(v.Confidence, maxModelConfidence)
		r.Role = cmp.Or(r.Role, v.Role)
		r.Provenance = lists.Add(r.Provenance, cmp.Or(v.Model, "model"))
		r.Evidence = lists.Add(r.Evidence, fmt.Sprintf("%s: %s", cmp.Or(v.Model, "model"), v.Reason))
		out.Relationships[i] = r
	}
	return &out
}

// judged reports whether a model has a say about r.
func judged(r joinpath.Relationship) bool {
	return reliability(r) > 1 && r.Confidence > 0
}

func byBasis(verdicts []Verdict) map[string]Verdict {
	out := make(map[string]Verdict, len(verdicts))
	for _, v := range verdicts {
		out[v.Basis] = v
	}
	return out
}

// basis identifies a relationship together with the tables that it joins. What
// models or people have said about it does not count.
func basis(s *joinpath.Schema, r joinpath.Relationship) string {
	return fingerprint(s, r.Key(), min(r.FromTable, r.ToTable), max(r.FromTable, r.ToTable))
}

// fingerprint identifies a key together with the definitions of tables. Their sizes
// do not count.
func fingerprint(s *joinpath.Schema, key string, tables ...string) string {
	about := []any{key}
	for _, name := range tables {
		t := s.Tables[name]
		t.Rows, t.Bytes = 0, 0
		about = append(about, name, t)
	}
	text, err := json.Marshal(about)
	if err != nil {
		return "" // not reached: tables are plain data
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}
