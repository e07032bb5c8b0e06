// Calls a running service by the client oapi-codegen generated.  usage: call URL HASH INTENT
package main

import (
	"context"
	"fmt"
	"os"
	"strings"
)

func must(ok bool, what any) {
	if !ok {
		fmt.Println("FAIL  oapi-codegen:", what)
		os.Exit(1)
	}
}

func main() {
	url, hash, intent := os.Args[1], os.Args[2], os.Args[3]
	client, err := NewClientWithResponses(url)
	must(err == nil, err)
	health, err := client.HealthWithResponse(context.Background())
	must(err == nil && health.StatusCode() == 200, err)
	answer, err := client.AnalyzeWithResponse(context.Background(), AnalyzeRequest{TxHash: hash})
	must(err == nil && answer.JSON200 != nil, err)
	report := answer.JSON200
	must(string(report.Classification.IntentKind) == intent, report.Classification.IntentKind)
	fee, err := report.Economics.FeeUsd.AsAvailableDisplayMoney()
	must(err == nil && strings.HasPrefix(fee.Text, "$"), fee)
	refused, err := client.AnalyzeWithResponse(context.Background(), AnalyzeRequest{TxHash: "0x12"})
	must(err == nil && refused.JSON400 != nil && strings.Contains(refused.JSON400.Error, "tx_hash"), err)
	fmt.Println("ok    oapi-codegen:", report.Classification.IntentLabel)
}
