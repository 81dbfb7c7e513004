using Jackdaw.Documents.Rooms;
using Jackdaw.Storage;

namespace Jackdaw.Documents.Maintenance;

/// <summary>The rules that other rooms have for what they keep in a database, over sound structures.</summary>
internal static class RoomsCheck
{
    /// <summary>After so many findings of a room the rest is only counted.</summary>
    private const int MaxFindings = 1000;

    /// <summary>Returns what is wrong, in words; empty when nothing is.</summary>
    public static IReadOnlyList<string> Run(StorageEnvironment environment, IReadOnlyList<Room> rooms)
    {
        var findings = new List<string>();
        using var reader = environment.BeginRead("check rooms");
        foreach (var room in rooms)
        {
            long found = 0;
            room.Check(
                new RoomReader(reader, room),
                finding =>
                {
                    if (++found <= MaxFindings)
                        findings.Add($"{room.Name}: {finding}");
                }
            );
            if (found > MaxFindings)
                findings.Add($"{room.Name}: ... and {found - MaxFindings} more");
        }
        return findings;
    }
}
