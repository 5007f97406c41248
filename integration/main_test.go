package integration_test

import (
	"os"
	"testing"

	"github.com/qedkit/qed/integration"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(talkingEnv); path != "" {
		os.Exit(talk(path)) // a test kills this process
	}
	if address := os.Getenv(servingEnv); address != "" {
		os.Exit(serveUntilKilled(address)) // and this one
	}
	os.Exit(integration.Run(m))
}
