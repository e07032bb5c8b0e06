# Calls a running service by the client openapi-python-client generated.  usage: call.py URL HASH INTENT
import sys
from report_client import Client
from report_client.api.default import analyze, health
from report_client.models.analyze_request import AnalyzeRequest
from report_client.models.available_display_money import AvailableDisplayMoney
from report_client.models.error_body import ErrorBody
from report_client.models.tx_report import TxReport

url, tx_hash, intent = sys.argv[1:]
client = Client(base_url=url)
assert health.sync_detailed(client=client).status_code == 200
report = analyze.sync(client=client, body=AnalyzeRequest(tx_hash=tx_hash))
assert isinstance(report, TxReport), report
assert report.classification.intent_kind == intent, report.classification.intent_kind
assert isinstance(report.economics.fee_usd, AvailableDisplayMoney) and report.economics.fee_usd.text.startswith("$")
refused = analyze.sync(client=client, body=AnalyzeRequest(tx_hash="0x12"))
assert isinstance(refused, ErrorBody) and "tx_hash" in refused.error, refused
print(f"ok    openapi-python-client: {report.classification.intent_label}")
