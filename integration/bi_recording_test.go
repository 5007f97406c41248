package integration_test

import (
	"testing"

	"github.com/qedkit/qed/examples/shipping"
	"github.com/qedkit/qed/examples/shipping/shippingtest"
)

var shippingExample = recordedExample{
	recording: "../examples/shipping/data/recording.jsonl",
	fill:      shipping.Fill,
	converse:  shippingtest.Scenarios,
}

// TestShippingRecording: the recording that the scenarios are replayed with is what
// Elasticsearch answers.
func TestShippingRecording(t *testing.T) { shippingExample.testRecording(t) }

// TestShippingOnBothEngines: OpenSearch answers the scenarios as Elasticsearch does.
func TestShippingOnBothEngines(t *testing.T) { shippingExample.testBothEngines(t) }
