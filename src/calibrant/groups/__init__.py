"""Groups of rows: a map for each, how far each is off, and which is furthest off."""

from ..families.group_maps import GroupMap as GroupMap
from ..families.multiclass.by_group import ByGroup as ByGroup
from .errors import GroupError as GroupError
from .errors import group_errors as group_errors
from .errors import multicalibration_error as multicalibration_error
from .errors import worst_group_error as worst_group_error
from .search import Segment as Segment
from .search import worst_segment as worst_segment
