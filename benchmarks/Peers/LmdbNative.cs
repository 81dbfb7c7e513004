using System.Runtime.InteropServices;

namespace Jackdaw.Bench.Peers;

/// <summary>The functions of liblmdb (Debian package liblmdb0) that the peer calls.</summary>
internal static unsafe partial class LmdbNative
{
    public const string Library = "liblmdb.so.0";
    public const uint NoSync = 0x10000;

    [StructLayout(LayoutKind.Sequential)]
    public struct Value
    {
        public nuint Size;
        public void* Start;
    }

    [LibraryImport(Library, EntryPoint = "mdb_env_create")]
    public static partial int EnvironmentCreate(out nint environment);

    [LibraryImport(Library, EntryPoint = "mdb_env_set_mapsize")]
    public static partial int SetMapSize(nint environment, nuint size);

    [LibraryImport(Library, EntryPoint = "mdb_env_open", StringMarshalling = StringMarshalling.Utf8)]
    public static partial int EnvironmentOpen(nint environment, string path, uint flags, uint mode);

    [LibraryImport(Library, EntryPoint = "mdb_env_sync")]
    public static partial int EnvironmentSync(nint environment, int force);

    [LibraryImport(Library, EntryPoint = "mdb_env_close")]
    public static partial void EnvironmentClose(nint environment);

    [LibraryImport(Library, EntryPoint = "mdb_txn_begin")]
    public static partial int TransactionBegin(nint environment, nint parent, uint flags, out nint transaction);

    [LibraryImport(Library, EntryPoint = "mdb_txn_commit")]
    public static partial int TransactionCommit(nint transaction);

    [LibraryImport(Library, EntryPoint = "mdb_dbi_open")]
    public static partial int DatabaseOpen(nint transaction, nint name, uint flags, out uint database);

    [LibraryImport(Library, EntryPoint = "mdb_put")]
    public static partial int Put(nint transaction, uint database, ref Value key, ref Value value, uint flags);

    [LibraryImport(Library, EntryPoint = "mdb_strerror")]
    public static partial nint ErrorText(int error);
}
