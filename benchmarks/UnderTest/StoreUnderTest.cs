using Jackdaw.Bench.Frame;

namespace Jackdaw.Bench.UnderTest;

/// <summary>Opens databases in this process.</summary>
internal static class StoreUnderTest
{
    /// <summary>Opens the store of the folder; creates it when there is none.</summary>
    public static Task<IDocumentStoreUnderTest> OpenAsync(string directory, StoreOptions options) =>
        throw new ContenderUnavailableException("this build cannot open a database in process");
}
