package shipping_test

import (
	"testing"

	"github.com/qedkit/qed/examples/internal/cluster"
	"github.com/qedkit/qed/examples/shipping"
	"github.com/qedkit/qed/examples/shipping/shippingtest"
	"github.com/qedkit/qed/internal/command/settings"
)

// TestScenarios runs the scenarios on the recording.
func TestScenarios(t *testing.T) {
	client, _, err := cluster.Open(t.Context(), settings.Search{}, shipping.Recording, shipping.Fill)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	shippingtest.Scenarios(t, client)
}
