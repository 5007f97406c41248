package integration_test

import (
	"bytes"
	"testing"

	"github.com/qedkit/qed/esquery/esclient"
	"github.com/qedkit/qed/esquery/estest"
	"github.com/qedkit/qed/examples/shipping"
)

var shippingExample = recordedExample{
	recording: "../examples/shipping/data/recording.jsonl",
	fill:      shipping.Fill,
	converse:  shippingScenarios,
}

// TestScenarios runs the scenarios on the recording.
func TestScenarios(t *testing.T) {
	recorded, err := estest.Replay(bytes.NewReader(shipping.Recording))
	if err != nil {
		t.Fatal(err)
	}
	client, err := esclient.New(&esclient.Options{Transport: recorded})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	shippingScenarios(t, client)
}

// TestShippingRecording compares the recording of the scenarios with the answers of
// Elasticsearch.
func TestShippingRecording(t *testing.T) { shippingExample.testRecording(t) }

// TestShippingOnBothEngines compares OpenSearch with Elasticsearch on the scenarios.
func TestShippingOnBothEngines(t *testing.T) { shippingExample.testBothEngines(t) }
