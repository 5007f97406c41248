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
	if address, payments := os.Getenv(servingEnv), os.Getenv(payingEnv); address != "" && payments != "" {
		os.Exit(payUntilKilled(address, payments))
	} else if address != "" {
		os.Exit(serveUntilKilled(address)) // and this one
	}
	os.Exit(integration.Run(m))
}
