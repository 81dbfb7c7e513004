using Jackdaw.Storage.Journal;

namespace Jackdaw.Storage;

/// <summary>Whether this machine can compress.</summary>
public sealed partial class StorageEnvironment
{
    /// <summary>Gets whether the library that compresses journal records is installed.</summary>
    public static bool CanCompress => ZstdLibrary.IsAvailable;

    /// <summary>Returns what to tell an operator before anything is opened on a machine without the library; null where it is
    /// there.</summary>
    public static string? CompressionNotice(bool canCompress) =>
        canCompress
            ? null
            : $"The library libzstd is missing (package {ZstdLibrary.PackageName}). The journal is written uncompressed, and a database "
                + "whose journal has compressed records cannot be opened until the package is installed.";
}
