namespace Jackdaw.Storage.Data;

/// <summary>A page of the data file that was found damaged since the environment was opened.</summary>
/// <param name="Path">The data file.</param>
/// <param name="Page">The page's number; its offset in the file is this number times the page size.</param>
/// <param name="Message">The file, the offset and the check that failed.</param>
/// <param name="FirstMet">When the damage was first met, in UTC.</param>
/// <param name="TimesMet">How often the damage has been met since then.</param>
public sealed record DamagedPage(string Path, long Page, string Message, DateTimeOffset FirstMet, long TimesMet);
