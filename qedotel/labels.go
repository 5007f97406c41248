package qedotel

import (
	"context"
	"strings"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"

	"github.com/qedkit/qed"
)

const (
	maxLabels = 200 // values of an attribute of metrics
	maxLabel  = 100 // bytes of a value
)

// other is the value of all that a label has no value for.
var other = semconv.ErrorTypeOther.Value.AsString()

// labels has the values that attributes of metrics have had.
type labels struct {
	mu   sync.Mutex
	seen map[attribute.Key]map[string]bool
}

// few returns an attribute of metrics, whose value is other after maxLabels different
// ones.
func (t *Telemetry) few(key attribute.Key, value string) attribute.KeyValue {
	value = clip(value)
	t.labels.mu.Lock()
	defer t.labels.mu.Unlock()
	seen := t.labels.seen[key]
	switch {
	case seen[value]:
	case len(seen) >= maxLabels:
		value = other
	case seen == nil:
		if t.labels.seen == nil {
			t.labels.seen = map[attribute.Key]map[string]bool{}
		}
		t.labels.seen[key] = map[string]bool{value: true}
	default:
		seen[value] = true
	}
	return key.String(value)
}

// toolName returns the name of a tool as an attribute. Names that a model invents are
// all the same.
func (t *Telemetry) toolName(name string, unknown bool) attribute.KeyValue {
	if unknown {
		name = other
	}
	return t.few(semconv.GenAIToolNameKey, name)
}

// clip returns a text that others choose, in a length for an attribute.
func clip(text string) string {
	if len(text) > maxLabel {
		text = text[:maxLabel]
	}
	return strings.ToValidUTF8(text, "")
}

func placeIn(ctx context.Context) place {
	info := qed.Info(ctx)
	return place{info.Path, info.Call}
}
