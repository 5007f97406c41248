package chart

import (
	"bytes"
	"cmp"
	"encoding/json"

	"github.com/qedkit/qed"
)

// MediaType is the media type of a [Spec].
const MediaType = "application/vnd.vegalite.v6+json"

// A Spec is a Vega-Lite chart that contains its data. [New] and package
// chart/lint return specs that load and run nothing.
type Spec struct {
	Kind  Kind   `json:"kind,omitempty"` // of a spec of chart/lint, the kind that was asked for
	Title string `json:"title"`

	// Notes are sentences for a reader of the chart: what is left out, and which
	// rows are drawn together.
	Notes []string `json:"notes,omitempty"`

	// JSON is the spec. The characters <, > and & are escaped, so it can be embedded
	// in HTML.
	JSON json.RawMessage `json:"spec"`
}

// Artifact returns the chart as an artifact of an answer. Its name is the title.
func (s *Spec) Artifact() qed.Artifact {
	name := cmp.Or(s.Title, "chart")
	return qed.Artifact{Name: name, MediaType: MediaType, Data: bytes.Clone(s.JSON)}
}
