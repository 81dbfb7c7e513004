using System.Globalization;
using System.Text;

namespace Jackdaw.Server.Security.Audit;

/// <summary>The files of the audit log: one a day, in UTC. Each is opened for as long as a few lines take, so one that was moved away is
/// made anew.</summary>
internal static class AuditFile
{
    /// <summary>Appends lines, each to the file of its day, durably when there is an act among them.</summary>
    /// <exception cref="IOException">They could not be written; what a file has got of them is taken back.</exception>
    /// <exception cref="UnauthorizedAccessException">The process may not write there.</exception>
    public static void Append(string folder, IEnumerable<AuditLine> lines)
    {
        foreach (var day in lines.GroupBy(line => line.Time.UtcDateTime.Date))
        {
            using var stream = Open(folder, day.Key);
            Append(stream, day);
        }
    }

    /// <summary>Opens the file of a day for appending; makes it, and its folder, where there is none.</summary>
    public static FileStream Open(string folder, DateTime day)
    {
        Directory.CreateDirectory(folder);
        var options = new FileStreamOptions
        {
            Mode = FileMode.Append,
            Access = FileAccess.Write,
            Share = FileShare.ReadWrite | FileShare.Delete,
            BufferSize = 0,
        };
        if (!OperatingSystem.IsWindows())
            options.UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupRead;
        return new FileStream(Path.Combine(folder, string.Create(CultureInfo.InvariantCulture, $"audit-{day:yyyy-MM-dd}.jsonl")), options);
    }

    /// <summary>Appends lines to an open file.</summary>
    /// <exception cref="IOException">They could not be written; what the file has got of them is taken back.</exception>
    public static void Append(FileStream stream, IEnumerable<AuditLine> lines)
    {
        var text = new StringBuilder();
        var hasAct = false;
        foreach (var line in lines)
        {
            text.Append(line.Text).Append('\n');
            hasAct |= line.IsAct;
        }
        var before = stream.Length;
        try
        {
            stream.Write(Encoding.UTF8.GetBytes(text.ToString()));
            if (hasAct)
                stream.Flush(flushToDisk: true);
        }
        catch (IOException)
        {
            TakeBack(stream, before);
            throw;
        }
    }

    /// <summary>Half a line must not stay: its whole is written later.</summary>
    private static void TakeBack(FileStream stream, long length)
    {
        try
        {
            stream.SetLength(length);
        }
        catch (IOException)
        {
            // The error of the write is the one that counts.
        }
    }
}
