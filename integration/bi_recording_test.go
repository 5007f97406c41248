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

// TestShippingRecording compares the recording of the scenarios with the answers of
// Elasticsearch.
func TestShippingRecording(t *testing.T) { shippingExample.testRecording(t) }

// TestShippingOnBothEngines compares OpenSearch with Elasticsearch on the scenarios.
func TestShippingOnBothEngines(t *testing.T) { shippingExample.testBothEngines(t) }
