namespace Jackdaw.Storage.Journal;

/// <summary>What a journal writer has done since it was opened, and the files it holds now.</summary>
/// <param name="BytesAppended">Bytes of blocks written for records.</param>
/// <param name="PayloadBytes">Bytes of page entries before compression.</param>
/// <param name="Records">Records appended.</param>
/// <param name="CompressedRecords">Of these, compressed.</param>
/// <param name="Rotations">Files begun because the one before was full.</param>
/// <param name="FilesInUse">The current file and those that recovery could still need.</param>
/// <param name="SpareFiles">Files ready for a rotation.</param>
/// <param name="RecycledFiles">Files that became spares instead of being deleted.</param>
/// <param name="SpareFailures">Attempts to make a spare that failed (a full disk, an I/O error); each is tried again.</param>
/// <param name="LastSpareFailure">The latest of them, in words; null when the last attempt succeeded.</param>
internal readonly record struct JournalStatistics(
    long BytesAppended,
    long PayloadBytes,
    long Records,
    long CompressedRecords,
    long Rotations,
    int FilesInUse,
    int SpareFiles,
    long RecycledFiles,
    long SpareFailures,
    string? LastSpareFailure
);
