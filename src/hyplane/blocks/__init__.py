"""Rows of any size, block by block: in memory, on disk, or wherever else a maker puts them."""

from hyplane.blocks.contract import Block, Blocks
from hyplane.blocks.disk import DiskBlocks
from hyplane.blocks.labels import (
    EncodedLabels,
    LabelError,
    codes_of,
    distinct_labels,
    encoded,
    indicators_of,
    join_labels,
)
from hyplane.blocks.makers import as_blocks, is_lazy
from hyplane.blocks.memory import MemoryBlocks, Workers
from hyplane.blocks.parquet import ParquetColumns, ParquetTable, parquet_files
from hyplane.blocks.watched import WatchedBlocks
from hyplane.blocks.writers import write_columns

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
