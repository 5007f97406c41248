package chart

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/qedkit/qed"
)

// MediaType is that of a [Spec].
const MediaType = "application/vnd.vegalite.v6+json"

const schemaURL = "https://vega.github.io/schema/vega-lite/v6.json"

// A Spec is a Vega-Lite chart with its data. Only [New] and [Lint] make one, so it loads
// and runs nothing. It is immutable and safe for concurrent use.
type Spec struct {
	text  []byte
	title string
	kind  Kind
	notes []string
}

// JSON returns the spec. The characters <, > and & are escaped in it, so it can stand in a
// page. The caller must not change it.
func (s *Spec) JSON() json.RawMessage { return s.text }

// Title says what the chart shows.
func (s *Spec) Title() string { return s.title }

// Kind is what [New] drew; empty for a chart of [Lint].
func (s *Spec) Kind() Kind { return s.kind }

// Notes say what somebody who reads the chart should know: what is left out, and which rows
// are drawn together. Each is a sentence.
func (s *Spec) Notes() []string { return slices.Clone(s.notes) }

// Artifact returns the chart as an answer carries it. It is named after its title.
func (s *Spec) Artifact() qed.Artifact {
	name := s.title
	if name == "" {
		name = "chart"
	}
	return qed.Artifact{Name: name, MediaType: MediaType, Data: bytes.Clone(s.text)}
}

// MarshalJSON returns [Spec.JSON].
func (s *Spec) MarshalJSON() ([]byte, error) { return s.text, nil }
