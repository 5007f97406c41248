package integration_test

import (
	"os"
	"testing"

	"github.com/qedkit/qed/integration"
)

func TestMain(m *testing.M) { os.Exit(integration.Run(m)) }
