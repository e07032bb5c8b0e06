"""Reports of many transactions or blocks as Parquet, in the layout of `txreport batch --blocks --format parquet`.

usage: spark-submit deploy/spark/txreport_job.py INPUT OUTPUT [PARTITIONS]

INPUT: text files, each line a hash or a block's number, then its key (left out: the line itself). OUTPUT/rows has one row per
line, with its error where it has no report; OUTPUT/<table> are the tables. TXREPORT names the command, RPC_URL the node.
A task that loses its command or its worker is run again by Spark, and only the rows of the one that ended well count.
"""
import os
import sys
from pathlib import Path

from pyspark.sql import SparkSession, functions as F

source, output, partitions = (sys.argv[1:] + ["64"])[:3]
command = os.environ.get("TXREPORT", "txreport") + " batch --rows --format tables -"
layout = Path(__file__).with_name("rows.ddl").read_text()
spark = SparkSession.builder.appName("txreport").config("spark.sql.session.timeZone", "UTC").getOrCreate()

lines = spark.sparkContext.textFile(source).repartition(int(partitions))
# checkCode: a command that was killed fails the task, where its rows would be missing otherwise.
rows = lines.pipe(command, env=dict(os.environ), checkCode=True).map(lambda row: (row,))
(
    spark.createDataFrame(rows, "row string")
    .select(F.from_json("row", layout, {"mode": "FAILFAST"}).alias("row"))
    .select("row.*")
    .write.mode("overwrite")
    .parquet(f"{output}/rows")
)
# Read back, so that every transaction is analysed once for all tables.
done = spark.read.parquet(f"{output}/rows")
for table in done.schema["tables"].dataType.names:
    columns = done.select(F.explode(f"tables.{table}").alias("one")).select("one.*")
    columns.write.mode("overwrite").parquet(f"{output}/{table}")
