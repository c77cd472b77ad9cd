"""Rows of any size, block by block: in memory, on disk, or wherever else a maker puts them."""

from hyplane.out_of_core.disk import DiskBlocks
from hyplane.out_of_core.labels import (
    EncodedLabels,
    LabelError,
    codes_of,
    distinct_labels,
    encoded,
    indicators_of,
    join_labels,
)
from hyplane.out_of_core.memory import MemoryBlocks, Workers
from hyplane.out_of_core.parquet import ParquetColumns, ParquetTable, parquet_files
from hyplane.out_of_core.rows_protocol import Block, Blocks
from hyplane.out_of_core.sources import as_blocks, is_lazy
from hyplane.out_of_core.watched import WatchedBlocks
from hyplane.out_of_core.writers import write_columns

__all__ = [
    "Block",
    "Blocks",
    "DiskBlocks",
    "EncodedLabels",
    "LabelError",
    "MemoryBlocks",
    "ParquetColumns",
    "ParquetTable",
    "WatchedBlocks",
    "Workers",
    "as_blocks",
    "codes_of",
    "distinct_labels",
    "encoded",
    "indicators_of",
    "is_lazy",
    "join_labels",
    "parquet_files",
    "write_columns",
]
